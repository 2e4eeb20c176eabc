CREATE TABLE test_practice (
  organization_id int NOT NULL,
  ahead_ms bigint DEFAULT 0 NOT NULL,
  faults jsonb DEFAULT '{}' NOT NULL,
  PRIMARY KEY (organization_id),
  CONSTRAINT test_practice_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization(id)
);
