# Verifies an API key with Keyrail Edge on the same machine: python3 verify.py kr_live_…
import http.client
import json
import sys


def verify(key, **wanted):
    edge = http.client.HTTPConnection("127.0.0.1", 4410, timeout=5)
    body = json.dumps({"key": key, **wanted})
    edge.request("POST", "/v1/verify", body, {"content-type": "application/json"})
    response = edge.getresponse()
    answer = json.load(response)
    if response.status != 200:
        raise RuntimeError(answer["error"]["message"])
    return answer


if __name__ == "__main__":
    verdict = verify(sys.argv[1], scopes=["invoices:read"], route="/invoices")
    if verdict["allowed"]:
        print("allowed", verdict["context"]["tenant_external_id"])
    else:
        print("refused", verdict["status"], verdict["reason"])
