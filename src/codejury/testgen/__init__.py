"""Tests that are made, proven and looked over: from generators and golds to tests, and what is weak in them."""
