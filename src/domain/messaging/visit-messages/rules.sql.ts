import { statement } from '../../../database/statements/statement.ts';
import type { VisitMessageRule } from '../../../generated/prisma/client.ts';

/** A rule, as it applies to visits. */
export type Rule = Pick<VisitMessageRule, 'kind' | 'appointmentTypeId' | 'enabled' | 'offsets' | 'templateId' | 'since'>;

/** The rules for all types, and those for one. Values: organization, type or NONE. */
export const RULES_OF_TYPE = statement<Rule>(
  'rules_of_type',
  `SELECT r.kind, r.appointment_type_id AS "appointmentTypeId", r.enabled, r.offsets, r.template_id AS "templateId", r.since
     FROM visit_message_rule r
    WHERE r.organization_id = $1 AND (r.appointment_type_id IS NULL OR r.appointment_type_id = $2::int)
    ORDER BY r.id`,
);

/** The condition that a rule `r` is in force for the appointment `a`: those for its type come before those for all. */
export const IN_FORCE = `r.enabled AND (r.appointment_type_id = a.type_id OR (r.appointment_type_id IS NULL AND NOT EXISTS (
         SELECT FROM visit_message_rule s
          WHERE s.organization_id = r.organization_id AND s.kind = r.kind AND s.appointment_type_id = a.type_id)))`;
