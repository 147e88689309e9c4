// The plant store with only Go's standard library.
package main

import (
	"crypto/subtle"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

type Plant struct {
	Name string  `json:"name"`
	Tag  *string `json:"tag,omitempty"`
}

// Pointers distinguish a missing field from a zero one.
type NewPlant struct {
	ID   *int64  `json:"id"`
	Name *string `json:"name"`
	Tag  *string `json:"tag"`
}

type Error struct {
	Error   int32  `json:"error"`
	Message string `json:"message"`
}

type Store struct {
	mu     sync.Mutex
	plants map[int64]Plant
}

func (s *Store) create(w http.ResponseWriter, r *http.Request) {
	var in NewPlant
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
		writeJSON(w, http.StatusBadRequest, Error{http.StatusBadRequest, err.Error()})
		return
	}
	if in.ID == nil || in.Name == nil {
		writeJSON(w, http.StatusBadRequest, Error{http.StatusBadRequest, "id and name are required"})
		return
	}
	plant := Plant{Name: *in.Name, Tag: in.Tag}
	s.mu.Lock()
	s.plants[*in.ID] = plant
	s.mu.Unlock()
	writeJSON(w, http.StatusOK, plant)
}

func requireBearer(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeJSON(w, http.StatusUnauthorized, Error{http.StatusUnauthorized, "a valid bearer token is required"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func main() {
	store := &Store{plants: map[int64]Plant{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /plants", store.create)
	handler := requireBearer(os.Getenv("PLANT_STORE_TOKEN"), mux)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), handler))
}
