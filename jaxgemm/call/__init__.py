"""What a call of a product is made of: its options, its plan, and its lowering."""
