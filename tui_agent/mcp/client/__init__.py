"""The client: one connection to one server, over the SDK. Import it in a thread: the SDK takes most of a second.

`connection` is what the rest of the program uses; the others are transports and what they share.
"""
