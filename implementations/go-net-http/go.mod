module plant-store/go-net-http

go 1.26.0
