import { z } from 'zod';
import { invalid } from '../../errors.ts';
import { addPortalAccounts } from '../../patients/record/portal-accounts.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { readDay, readMoment, readUsDay, writeDay } from '../../values/time/time.ts';
import { storeSections } from '../chart-sections.ts';
import { orFailure } from '../outcomes.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { choice, flag, optional, text } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const moment = () => optional(text(40));

const cells = z.object({
  ...patientCells,
  holder: optional(choice('PATIENT', 'FAMILY')).transform((holder) => holder ?? 'PATIENT'),
  registeredAt: moment(),
  lastLoginAt: moment(),
  termsAcceptedAt: moment(),
  blocked: optional(flag()),
});

export const portalAccounts = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    holder: ['entitytodisplay'],
    registeredAt: ['portalregistrationdate', 'registered'],
    lastLoginAt: ['lastlogindate', 'last_login'],
    termsAcceptedAt: ['terms_accepted'],
    blocked: ['blockedfailedloginsyn'],
  },
  async store(tx, rows) {
    const zone = await organizationZone(tx);
    return storeSections(tx, rows, 'portalAccounts', (round) => {
      const accounts = round.map(({ patientId, decision, values: { holder, blocked, ...row } }) =>
        orFailure(() => {
          const at = (field: keyof typeof row & `${string}At`) => readInstant(row[field], zone, field);
          const times = { registeredAt: at('registeredAt'), lastLoginAt: at('lastLoginAt'), termsAcceptedAt: at('termsAcceptedAt') };
          const given = Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined));
          return { patientId, holder, replaces: decision === 'update', ...given, ...(typeof blocked === 'boolean' ? { blocked } : {}) };
        }),
      );
      return addPortalAccounts(tx, accounts);
    });
  },
});

/** An instant; a day begins at midnight in the practice. @throws Failure invalid */
function readInstant(written: string | null | undefined, zone: string, field: string): Date | null | undefined {
  if (written === null || written === undefined) return written;
  const day = readDay(written) ?? readUsDay(written);
  const { instant } = readMoment(day === null ? written : `${writeDay(day)}T00:00`, zone, field);
  if (instant.getTime() > Date.now() + 60_000) throw invalid(field, 'must not be in the future', 'in_the_future');
  return instant;
}
