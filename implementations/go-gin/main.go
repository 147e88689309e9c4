// The plant store with Gin: its model binding and validator tags.
package main

import (
	"log"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
)

type Plant struct {
	Name string `json:"name"`
	Tag  string `json:"tag,omitempty"`
}

type NewPlant struct {
	ID   int64  `json:"id" binding:"required"`
	Name string `json:"name" binding:"required"`
	Tag  string `json:"tag"`
}

var (
	mu     sync.Mutex
	plants = map[int64]Plant{}
)

func createPlant(c *gin.Context) {
	var in NewPlant
	if err := c.ShouldBindJSON(&in); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": http.StatusBadRequest, "message": err.Error()})
		return
	}
	plant := Plant{Name: in.Name, Tag: in.Tag}
	mu.Lock()
	plants[in.ID] = plant
	mu.Unlock()
	c.JSON(http.StatusOK, plant)
}

func bearerAuth(token string) gin.HandlerFunc {
	return func(c *gin.Context) {
		scheme, credentials, _ := strings.Cut(c.GetHeader("Authorization"), " ")
		if scheme != "Bearer" || credentials != token {
			c.AbortWithStatusJSON(http.StatusUnauthorized, gin.H{"error": http.StatusUnauthorized, "message": "Unauthorized"})
			return
		}
		c.Next()
	}
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery(), bearerAuth(os.Getenv("PLANT_STORE_TOKEN")))
	router.POST("/plants", createPlant)
	log.Fatal(router.Run("127.0.0.1:" + os.Getenv("PORT")))
}
