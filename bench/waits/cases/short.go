package main

// shortCases are operations of milliseconds, by themselves and beside a busy process.
var shortCases []Case
