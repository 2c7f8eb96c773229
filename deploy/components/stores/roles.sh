#!/bin/sh
# Runs once when the database is created: creates the roles of the services, whose rights `migrate` grants. POSTGRES_USER owns all objects.
# sourced by the image’s own script
set -e
for role in users_service master_service; do
  psql --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" --set=ON_ERROR_STOP=1 \
    --set=role="$role" --set=password="$SERVICES_PASSWORD" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password';
SQL
done
