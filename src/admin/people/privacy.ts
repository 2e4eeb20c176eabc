import type { Command } from 'commander';
import { z } from 'zod';
import {
  addRestriction,
  liftRestriction,
  listPrivacyItems,
  listRestrictions,
  PRIVACY_ITEM_KINDS,
  type PrivacyItem,
  type PrivacyRestriction,
  RESTRICTION_KINDS,
  setPrivacyItem,
} from '../../domain/patients/restrictions/patient-restrictions.ts';
import { writeDay, writeInstant } from '../../domain/values/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { after, choice, day, id, limit, organization, patient, text, yesNo } from '../terminal/options.ts';
import { list, type Row, record, slice } from '../terminal/output.ts';

export function restrictionCommands(program: Command, { command }: CommandDeclarer): void {
  const restrictions = program.command('restrictions').description('Privacy restrictions of patients.');

  command(restrictions, 'add', {
    summary: 'Put a patient under a privacy restriction',
    details: 'record: the chart is restricted. blocked: the patient is. portal: the patient may have no portal account.',
    options: z.object({
      patient: patient(),
      organization: organization(),
      kind: choice(...RESTRICTION_KINDS),
      reason: text(500).exactOptional().describe('why'),
    }),
    run: async ({ write }, { patient: patientId, organization: organizationId, ...input }) =>
      record(restrictionRow(await write(organizationId, (db, caller) => addRestriction(db, caller, patientId, input)))),
  });

  command(restrictions, 'lift', {
    summary: 'Lift a privacy restriction',
    details: 'It stays on record, with the moment when it was lifted.',
    options: z.object({
      restriction: id().meta({ positional: true }).describe('id of the restriction'),
      organization: organization(),
    }),
    run: async ({ write }, { restriction, organization: organizationId }) =>
      record(restrictionRow(await write(organizationId, (db, caller) => liftRestriction(db, caller, restriction)))),
  });

  command(restrictions, 'list', {
    summary: 'List the privacy restrictions of a practice, lifted ones too',
    options: z.object({
      organization: organization(),
      patient: id().exactOptional().describe('only restrictions of this patient'),
      after: after(),
      limit: limit(100),
    }),
    run: async ({ read }, { organization: organizationId, patient: patientId, ...part }) => {
      const filter = { ...part, ...(patientId === undefined ? {} : { patientId }) };
      const rows = await read(organizationId, (db, caller) => listRestrictions(db, caller, filter));
      return slice(rows.map(restrictionRow), { limit: part.limit, none: 'There are no restrictions.' });
    },
  });
}

export function privacyItemCommands(program: Command, { command }: CommandDeclarer): void {
  const items = program.command('privacy-items').description('Privacy forms of patients: notice, release and assignment.');

  command(items, 'set', {
    summary: 'Set the state of a privacy form of a patient',
    details: 'All forms of a chart must be verified and not expired for its privacy information to count as verified.',
    options: z.object({
      patient: patient(),
      organization: organization(),
      kind: choice(...PRIVACY_ITEM_KINDS),
      verified: yesNo().describe('whether it was signed and checked'),
      on: day().exactOptional().describe('day on which it was verified (default today)'),
      expires: day().exactOptional().describe('day on which it ends (default never)'),
    }),
    run: async ({ write }, { patient: patientId, organization: organizationId, kind, verified, on, expires }) => {
      const input = { kind, verified, verifiedOn: on ?? null, expiresOn: expires ?? null };
      return record(itemRow(await write(organizationId, (db, caller) => setPrivacyItem(db, caller, patientId, input))));
    },
  });

  command(items, 'list', {
    summary: 'List the privacy forms of a patient',
    options: z.object({ patient: patient(), organization: organization() }),
    run: async ({ read }, { patient: patientId, organization: organizationId }) => {
      const rows = await read(organizationId, (db, caller) => listPrivacyItems(db, caller, patientId));
      return list(rows.map(itemRow), 'The patient has no privacy forms.');
    },
  });
}

const restrictionRow = (restriction: PrivacyRestriction) => ({
  id: restriction.id,
  patient_id: restriction.patientId,
  kind: restriction.kind,
  reason: restriction.reason,
  created_at: writeInstant(restriction.createdAt),
  lifted_at: writeInstant(restriction.liftedAt),
});

const itemRow = (item: PrivacyItem): Row => ({
  patient_id: item.patientId,
  kind: item.kind,
  verified: item.verified,
  verified_on: writeDay(item.verifiedOn),
  expires_on: writeDay(item.expiresOn),
});
