-- The two roles of Triptych and its database, for the first start of the container "database"; docs/operations.md says the same
-- for a PostgreSQL of your own. The passwords come from the environment.
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv password DATABASE_PASSWORD

-- Owns the tables and migrates.
CREATE ROLE triptych_owner LOGIN PASSWORD :'owner_password';
-- The server and the worker. It is granted its privileges by each migration (src/database/connections/runtime-role.sql).
CREATE ROLE triptych LOGIN PASSWORD :'password';
CREATE DATABASE triptych OWNER triptych_owner;
