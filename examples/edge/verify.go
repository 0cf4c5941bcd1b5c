// Verifies an API key with Keyrail Edge on the same machine: go run verify.go kr_live_…
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	body, _ := json.Marshal(map[string]any{"key": os.Args[1], "scopes": []string{"invoices:read"}})
	response, err := http.Post("http://127.0.0.1:4410/v1/verify", "application/json", bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var verdict struct {
		Allowed bool
		Reason  string
		Status  int
		Context struct{ Tenant_external_id string }
	}
	if err := json.NewDecoder(response.Body).Decode(&verdict); err != nil {
		panic(err)
	}
	fmt.Println(verdict.Allowed, verdict.Status, verdict.Reason, verdict.Context.Tenant_external_id)
}
