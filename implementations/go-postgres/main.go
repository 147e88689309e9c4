// The plant store with Go's net/http and pgx: plants are rows of a table in PostgreSQL.
package main

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const schema = `CREATE TABLE IF NOT EXISTS plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)`

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

type server struct{ db *pgxpool.Pool }

func (s server) create(w http.ResponseWriter, r *http.Request) {
	var in NewPlant
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	if in.ID == nil || in.Name == nil {
		writeError(w, http.StatusBadRequest, "id and name are required")
		return
	}
	var plant Plant
	err := s.db.QueryRow(r.Context(),
		`INSERT INTO plants (id, name, tag) VALUES ($1, $2, $3) RETURNING name, tag`,
		in.ID, in.Name, in.Tag).Scan(&plant.Name, &plant.Tag)
	var pgErr *pgconn.PgError
	switch {
	case err == nil:
		writeJSON(w, http.StatusOK, plant)
	case errors.As(err, &pgErr) && pgErr.Code == "23505": // unique_violation
		writeError(w, http.StatusBadRequest, "a plant with this id exists already")
	default:
		log.Print(err)
		writeError(w, http.StatusInternalServerError, "internal error")
	}
}

func requireBearer(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			writeError(w, http.StatusUnauthorized, "a valid bearer token is required")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func writeError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]any{"error": status, "message": message})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func main() {
	ctx := context.Background()
	db, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec(ctx, schema); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /plants", server{db}.create)
	handler := requireBearer(os.Getenv("PLANT_STORE_TOKEN"), mux)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), handler))
}
