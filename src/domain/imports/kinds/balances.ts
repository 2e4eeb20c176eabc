import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { setBalances } from '../../patients/record/patient-billing.ts';
import { storeSections } from '../chart-sections.ts';
import { createRegister } from '../directory.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { named, optional, read, required } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const amount = (form: RegExp) => read((sent) => (form.test(sent.trim()) ? sent.trim() : null), 'must be an amount such as 25.15');
const POSITIVE = /^\d{1,9}(\.\d{1,2})?$/;
const SIGNED = /^-?\d{1,9}(\.\d{1,2})?$/;

const cells = z.object({
  ...patientCells,
  providerGroupId: required(named()),
  amount: optional(amount(SIGNED)),
  collectionsAmount: optional(amount(POSITIVE)),
  paymentPlanAmount: optional(amount(POSITIVE)),
});

export const balances = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    providerGroupId: ['provider_group', 'group'],
    amount: ['balance'],
    collectionsAmount: ['collectionsbalance', 'collections'],
    paymentPlanAmount: ['paymentplanbalance', 'payment_plan'],
  },
  async store(db, caller, rows) {
    const { organizationId } = caller;
    const groups = createRegister(
      'provider group',
      await db.providerGroup.findMany({ where: { organizationId }, select: { id: true, name: true } }),
      ({ name }) => name,
    );
    return storeSections(db, caller, rows, 'balances', async (round) => {
      const given = round.map(({ patientId, values, decision }) => {
        const { providerGroupId, amount: owed, collectionsAmount, paymentPlanAmount } = values;
        const input = {
          ...(owed ? { amount: owed } : {}),
          ...(collectionsAmount ? { collectionsAmount } : {}),
          ...(paymentPlanAmount ? { paymentPlanAmount } : {}),
        };
        try {
          return { patientId, providerGroupId: groups.find(providerGroupId, 'providerGroupId').id, replaces: decision === 'update', input };
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          return error;
        }
      });
      return setBalances(db, caller, given);
    });
  },
});
