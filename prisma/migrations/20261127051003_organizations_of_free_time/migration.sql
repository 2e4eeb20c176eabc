ALTER TABLE availability ADD CONSTRAINT availability_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE availability_exception ADD CONSTRAINT availability_exception_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE slot ADD CONSTRAINT slot_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE slot_claim ADD CONSTRAINT slot_claim_organization_fkey FOREIGN KEY (organization_id) REFERENCES organization (id);
