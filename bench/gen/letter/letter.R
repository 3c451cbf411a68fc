# Prints mlbench's LetterRecognition, label first, as CSV without a header.
# Run by go generate; Debian's r-cran-mlbench has the data.
suppressMessages(library(mlbench))
data(LetterRecognition)
write.table(LetterRecognition, sep = ",", quote = FALSE, row.names = FALSE, col.names = FALSE)
