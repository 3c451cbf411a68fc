package main

// readingCases are files read and written, by the library and by the command.
var readingCases []Case
