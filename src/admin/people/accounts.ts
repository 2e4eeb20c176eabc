import type { Command } from 'commander';
import { z } from 'zod';
import { addClaim, type Balance, type Claim, listClaims, setContract } from '../../domain/patients/record/patient-billing.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { after, choice, day, id, limit, money, patient, text } from '../terminal/options.ts';
import { type Row, record, slice } from '../terminal/output.ts';
import { practice } from '../terminal/practice.ts';

const group = () => id().describe('id of the provider group');

export function balanceCommands(program: Command, { command }: CommandDeclarer): void {
  const balances = program.command('balances').description('Balances: contracts to charge cards for what patients owe.');

  command(balances, 'contract', {
    summary: 'Set a contract: permission to charge a card, up to a maximum',
    options: z.object({
      patient: patient(),
      practice: practice(),
      group: group(),
      class: choice('ONEYEAR', 'SINGLEAPPOINTMENT').describe('type of the contract'),
      max: money().describe('the maximum'),
      available: money().exactOptional().describe('amount left of the maximum (default: all)'),
    }),
    run: async ({ write }, { patient: patientId, practice, group: groupId, class: contractClass, max, available }) => {
      const input = { contractClass, maxAmount: max, availableAmount: available ?? max };
      return record(balanceRow(await write(practice, (db, caller) => setContract(db, caller, patientId, groupId, input))));
    },
  });
}

export function claimCommands(program: Command, { command }: CommandDeclarer): void {
  const claims = program.command('claims').description('Claims for services to patients.');

  command(claims, 'add', {
    summary: 'Add a claim to a patient',
    options: z.object({
      patient: patient(),
      practice: practice(),
      group: group(),
      date: day().describe('date of the service'),
      charge: money().describe('price of the service'),
      outstanding: money().exactOptional().describe('amount that the patient still owes (default: 0)'),
      description: text(200).exactOptional().describe('the service'),
    }),
    run: async ({ write }, { patient: patientId, practice, group: groupId, date, charge, outstanding, ...rest }) => {
      const input = { ...rest, providerGroupId: groupId, serviceDate: date, chargeAmount: charge, outstandingPatient: outstanding ?? '0' };
      return record(claimRow(await write(practice, (db, caller) => addClaim(db, caller, patientId, input))));
    },
  });

  command(claims, 'list', {
    summary: 'List the claims of a patient',
    options: z.object({ patient: patient(), practice: practice(), after: after(15), limit: limit(100) }),
    run: async ({ read }, { patient: patientId, practice, ...part }) => {
      const rows = await read(practice, (db, caller) => listClaims(db, caller, patientId, part));
      return slice(rows.map(claimRow), { limit: part.limit, none: 'There are no claims.' });
    },
  });
}

const balanceRow = (balance: Balance): Row => ({
  patient_id: balance.patientId,
  provider_group_id: balance.providerGroupId,
  amount: balance.amount.toFixed(2),
  collections: balance.collectionsAmount.toFixed(2),
  payment_plan: balance.paymentPlanAmount.toFixed(2),
  contracts: balance.contracts.map((one) => `${one.contractClass} ${one.availableAmount.toFixed(2)} of ${one.maxAmount.toFixed(2)}`),
});

const claimRow = (claim: Claim) => ({
  id: claim.id,
  patient_id: claim.patientId,
  provider_group_id: claim.providerGroupId,
  date: writeDay(claim.serviceDate),
  charge: claim.chargeAmount.toFixed(2),
  outstanding: claim.outstandingPatient.toFixed(2),
  description: claim.description,
});
