// Package mnist knows how the files of MNIST are named.
package mnist

import "strings"

// Labels returns the file that goes with a file of images, "" if the name is not
// that of one.
func Labels(images string) string {
	i := strings.LastIndex(images, "images-idx3")
	if i < 0 {
		return ""
	}
	return images[:i] + "labels-idx1" + images[i+len("images-idx3"):]
}
