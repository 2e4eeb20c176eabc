import type { Command } from 'commander';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Caller } from '../../domain/caller.ts';
import {
  givePortalAccess,
  listPortalAccounts,
  PORTAL_STEPS,
  type PortalAccount,
  type PortalStep,
  stepPortalAccount,
} from '../../domain/patients/portal/portal-accounts.ts';
import { findOrganization } from '../../domain/practices/organizations.ts';
import { readRange } from '../../domain/values/time/date-range.ts';
import { writeInstant } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, moment, patient } from '../terminal/options.ts';
import { list, type Row, record } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

const holder = () =>
  choice('patient', 'family')
    .transform((word) => (word === 'family' ? ('FAMILY' as const) : ('PATIENT' as const)))
    .default('PATIENT')
    .meta({ placeholder: 'patient|family' })
    .describe('holder of the account (default: patient)');

const SUMMARIES: Readonly<Record<PortalStep, string>> = {
  register: 'Record that the holder registered for a portal account',
  'log-in': 'Record that the holder logged in',
  'accept-terms': 'Record that the holder accepted the terms of the portal',
  block: 'Block a portal account, as after failed logins',
  unblock: 'Unblock a portal account',
};

export function portalAccountCommands(program: Command, { command }: CommandDeclarer): void {
  const accounts = program.command('portal-accounts').description('Portal accounts of patients and their families.');

  command(accounts, 'give', {
    summary: 'Give a patient or the family access to the portal',
    options: z.object({ patient: patient(), practice: practice(), holder: holder() }),
    run: async ({ write }, { patient: patientId, practice, holder: whose }) =>
      record(toRow(await write(practice, (db, caller) => givePortalAccess(db, caller, patientId, whose)))),
  });

  for (const step of PORTAL_STEPS) {
    command(accounts, step, {
      summary: SUMMARIES[step],
      options: z.object({
        patient: patient(),
        practice: practice(),
        holder: holder(),
        at: moment().exactOptional().describe('when: a local day of the practice, or an instant (default: now)'),
      }),
      run: async ({ write }, { patient: patientId, practice, holder: whose, at }) => {
        const account = await write(practice, async (db, caller) => {
          const next = { holder: whose, step, at: at === undefined ? new Date() : await readGivenInstant(db, caller, at) };
          return stepPortalAccount(db, caller, patientId, next);
        });
        return record(toRow(account));
      },
    });
  }

  command(accounts, 'list', {
    summary: 'List the portal accounts of a patient',
    options: z.object({ patient: patient(), practice: practice() }),
    run: async ({ read }, { patient: patientId, practice }) => {
      const rows = await read(practice, (db, caller) => listPortalAccounts(db, caller, patientId));
      return list(rows.map(toRow), 'The patient has no portal account.');
    },
  });
}

/** A day begins at midnight in the practice's zone, whose dates the portal status shows. */
async function readGivenInstant(db: Db, { organizationId }: Caller, input: string): Promise<Date> {
  const zone = async () => (await findOrganization(db, organizationId)).timeZone;
  const { from } = await readRange({ min: input, max: undefined, fields: { min: 'at', max: 'at' } }, zone);
  return from ?? new Date();
}

const toRow = (account: PortalAccount): Row => ({
  id: account.id,
  patient_id: account.patientId,
  holder: account.holder.toLowerCase(),
  registered_at: writeInstant(account.registeredAt),
  last_login_at: writeInstant(account.lastLoginAt),
  terms_accepted_at: writeInstant(account.termsAcceptedAt),
  blocked_at: writeInstant(account.blockedAt),
});
