// Package numbers finds the numbers in the prose of pages. Its tests hold those of the
// README, of docs and of bench/RESULTS*.md to the results that are committed; the build of
// the site (bench/site) those of pages whose commands print to what they print.
//
// A paragraph with measured numbers is followed by a comment that says where each is from:
//
//	Landmarks save 39 % of the error on mnist, and 1.5 times the seconds.
//	<!-- numbers: 39 = landmarks saved mnist 64 nystrom rff; 1.5 = landmarks cpu 64 nystrom rff -->
//
// The test computes what stands after “=” and compares it, rounded to as many digits as
// the paragraph has. Its first word names the results, a file of these tests each; the
// words of every file say what it can compute. Numbers that no committed result has are
// followed by the command that measured them and the commit it ran at:
//
//	<!-- from: go run ./bench/files --csv FILE, at 1135d8b -->
//
// and numbers that are no measurements, such as settings and versions, by what they are:
//
//	<!-- given: a version -->
//
// Whole tables and findings stand between marks of their own, which other tests hold:
// TestCommittedResults of cmd/rff and of bench/landmarks. A decimal or a per cent in a
// paragraph with none of these is an error.
package numbers
