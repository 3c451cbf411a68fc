// Command site makes the pages of docs, the README and the results into a site of static
// files: go -C bench run ./site -o DIR. It needs no network and no other program, and a
// reader needs no script: what there is of it searches.
//
// Pages are Markdown (CONTRIBUTING.md says how to write one). The build runs the commands
// of a page in a folder of the page's own, with rff in the path, and pastes what they
// print; it fails where a command fails, prints something else than the page says, or where
// a link leads nowhere or nothing says where a number is from. So the site cannot show what
// rff does not do. A generator of sites in general, such as Hugo, would still need all of
// this, and is a hundred times as much code to compile; what is left is one Markdown
// library, goldmark.
package main
