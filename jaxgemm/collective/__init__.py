"""Products overlapped with the communication between the devices of a mesh axis."""
