#!/bin/sh
# Makes an authority and a certificate for the three NATS servers in ./certificates, for ten years. Give the authority's
# ca.crt to engines and edges; keep ca.key away from all machines.
set -eu
names="${1:-nats-1,nats-2,nats-3}"
mkdir -p certificates
cd certificates
umask 077
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=tallywire bus" \
  -keyout ca.key -out ca.crt
alternatives="DNS:$(echo "$names" | sed 's/,/,DNS:/g'),DNS:localhost,IP:127.0.0.1"
printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$alternatives" > server.ext
openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=nats" -keyout server.key -out server.csr
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 3650 -extfile server.ext -out server.crt
rm server.csr server.ext
chmod 644 ca.crt server.crt
