#!/bin/sh
# Run once by the image of PostgreSQL, on an empty volume: the login and the database of Keyrail,
# which refuses to work as a superuser. See docs/operate.md, "PostgreSQL".
set -eu
psql --set=ON_ERROR_STOP=1 --set=password="$DATABASE_PASSWORD" --username=postgres <<'END'
create role keyrail login noinherit createrole password :'password';
create database keyrail owner keyrail;
revoke connect on database keyrail from public;
END
