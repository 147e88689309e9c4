module plantstore

go 1.18

require github.com/gorilla/mux v1.8.1
