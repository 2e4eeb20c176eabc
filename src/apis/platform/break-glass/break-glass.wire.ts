import { z } from 'zod';
import { neitherGiven } from '../../../domain/errors.ts';
import {
  type ChartOpening,
  LONGEST_REASON,
  type NamedChart,
  namesChart,
  OPEN_MINUTES,
  SHORTEST_REASON,
} from '../../../domain/users/chart-openings.ts';
import { recordNumber } from '../../../domain/values/text-form.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { one, wrapList } from '../../../http/wire/envelopes.ts';
import { birthDay, day, id, instant, longId, multilineText, paging, text } from '../../../http/wire/wire-types.ts';

const OpeningShape = z
  .strictObject({
    uuid: z.int().describe('Id of the opening'),
    user_uuid: z.int().describe('User who opened the chart'),
    user_name: z.string().describe('Name of the user'),
    patient_uuid: z.int().nullable().describe('The patient; null if no chart was found'),
    reason: z.string().describe('Reason given by the user'),
    opened_at: instant().describe('When the chart was opened'),
    ends_at: instant().describe(`End of the opening: ${OPEN_MINUTES} minutes later`),
    closed_at: instant().nullable().describe('When it ended early: by a user, or because the user who opened it lost the role or account'),
  })
  .meta({ id: 'ChartOpening' });

export const OpeningResponse = one(OpeningShape).meta({ id: 'ChartOpeningResponse' });
export const OpeningList = wrapList(OpeningShape).meta({ id: 'ChartOpeningList' });

export const openingParams = z.object({ uuid: longId().describe('Id of the opening') });
export const openingsQuery = z.object(paging);

export const OpeningRequest = z
  .object({
    patient_uuid: id()
      .optional()
      .describe('Patient id. Otherwise send record_number, or both names and birth_date. All given values must match'),
    record_number: text(100, recordNumber).optional().describe('Medical record number of the patient'),
    first_name: text(100).optional().describe('Full first name of the patient'),
    last_name: text(100).optional().describe('Full last name of the patient'),
    birth_date: birthDay(day()).optional().describe('Day of birth of the patient'),
    reason: multilineText(LONGEST_REASON).describe(
      `Reason for the opening, ${SHORTEST_REASON} to ${LONGEST_REASON} characters; blanks and invisible characters do not count`,
    ),
  })
  .meta({ id: 'ChartOpeningRequest' });

/** @throws Failure invalid where none of the three ways to name a chart is complete */
export function toNamedChart(body: z.output<typeof OpeningRequest>): NamedChart {
  const { patient_uuid: patientId, record_number: recordNumber, first_name: firstName, last_name: lastName, birth_date: birthDate } = body;
  const chart = { patientId, recordNumber, firstName, lastName, birthDate };
  if (!namesChart(chart)) throw neitherGiven('patient_uuid', 'record_number');
  return chart;
}

export const fromOpening = (opening: ChartOpening): z.input<typeof OpeningShape> => ({
  uuid: opening.id,
  user_uuid: opening.userId,
  user_name: `${opening.user.firstName} ${opening.user.lastName}`,
  patient_uuid: opening.patientId,
  reason: opening.reason,
  opened_at: writeInstant(opening.openedAt),
  ends_at: writeInstant(opening.endsAt),
  closed_at: writeInstant(opening.closedAt),
});
