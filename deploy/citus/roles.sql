-- The two roles of Triptych, on every node alike, for the first start of a container whose database has the extension; docker/create-roles.sql
-- says what they are. The passwords come from the environment.
\getenv superuser_password POSTGRES_PASSWORD
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv password DATABASE_PASSWORD

CREATE ROLE triptych_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE triptych LOGIN PASSWORD :'password';
ALTER DATABASE triptych OWNER TO triptych_owner;
ALTER SCHEMA public OWNER TO triptych_owner;
-- A role is known to this node alone until the nodes have joined; each node is entered with the same password.
INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo)
VALUES (0, 'postgres', format('password=%s', :'superuser_password')),
       (0, 'triptych_owner', format('password=%s', :'owner_password')),
       (0, 'triptych', format('password=%s', :'password'));
