# Placeholder until the install rules land.
