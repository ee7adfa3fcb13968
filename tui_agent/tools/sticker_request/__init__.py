"""The StickerRequest tool."""
