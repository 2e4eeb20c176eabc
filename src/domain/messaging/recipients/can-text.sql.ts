import { statement } from '../../../database/statements/statement.ts';
import { joinGuardian, REACHED_ZONE, selectReached } from '../../patients/guardians/reached.sql.ts';
import { numberStoppedTexts } from '../../patients/number-stopped-texts.sql.ts';
import { mayText, textsFrom } from '../numbers/sending-numbers.sql.ts';

/** The facts by which a text to somebody would leave or not. */
export interface TextingFacts {
  patientId: number | null;
  number: string | null;
  gone: boolean;
  deceased: boolean;
  doNotCall: boolean;
  doNotSms: boolean;
  stopped: boolean;
  practiceHasNumber: boolean;
  /** Carriers take texts from one of them, as far as is known. */
  practiceMayText: boolean;
  /** The zone of the quiet hours, and their limits as `HH:MM`. */
  zone: string;
  start: string;
  end: string;
}

/** Patients, and numbers without a chart. Values: organization, ids of patients, numbers. In no order. */
export const TEXTING_FACTS = statement<TextingFacts>(
  'texting_facts',
  `WITH practice AS MATERIALIZED (
     SELECT g.id, g.time_zone, g.quiet_hours_start, g.quiet_hours_end,
            EXISTS (SELECT FROM phone_number n WHERE n.organization_id = $1 AND ${textsFrom('n')}) AS has_number,
            EXISTS (SELECT FROM phone_number n WHERE n.organization_id = $1 AND ${textsFrom('n')} AND ${mayText('n')}) AS may_text
       FROM organization g WHERE g.id = $1)
   SELECT p.id AS "patientId", ${selectReached('mobile_phone')} AS number, p.status = 'deleted' AS gone, p.deceased_date IS NOT NULL AS deceased,
          ${selectReached('do_not_call')} AS "doNotCall", ${selectReached('do_not_sms')} AS "doNotSms", ${selectReached('texts_stopped')} AS stopped, o.has_number AS "practiceHasNumber", o.may_text AS "practiceMayText",
          ${REACHED_ZONE} AS zone, o.quiet_hours_start AS start, o.quiet_hours_end AS "end"
     FROM practice o
     JOIN patient p ON p.organization_id = $1 AND p.id = ANY ($2::int[])
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = p.primary_office_id ${joinGuardian('$1')}
   UNION ALL
   SELECT NULL, n.number, false, false, false, false, ${numberStoppedTexts('$1', 'n.number')}, o.has_number, o.may_text, o.time_zone,
          o.quiet_hours_start, o.quiet_hours_end
     FROM practice o CROSS JOIN unnest($3::text[]) AS n (number)`,
);
