#!/bin/sh
# Run once by the PostgreSQL image, on an empty volume: creates the login and the database for
# Keyrail, which refuses to work as a superuser. See docs/operate.md, "PostgreSQL".
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" --username=postgres <<'END'
create role keyrail login noinherit createrole password :'password';
create database keyrail owner keyrail;
revoke connect on database keyrail from public;
END
