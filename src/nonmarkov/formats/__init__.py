"""Models in the languages of other programs: .pomdp, PRISM, Graphviz, AALpy."""
