"""Write: make a file or replace its whole content, reviewed before it is written."""
