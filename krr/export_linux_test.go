package krr

func CgroupMemory(root, groups string) int64 { return cgroupMemory(root, groups) }
