import { z } from 'zod';
import { invalid, missing } from '../../errors.ts';
import { setBalances } from '../../patients/record/patient-billing.ts';
import { storeSections } from '../chart-sections.ts';
import { readProviderGroups } from '../directory.ts';
import { orFailure } from '../outcomes.ts';
import { PATIENT_REFERENCE_WORDS, patientCells } from '../patient-references.ts';
import { amount, choice, named, optional, required } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

const cells = z.object({
  ...patientCells,
  providerGroupId: required(named()),
  amount: optional(amount({ signed: true })),
  collectionsAmount: optional(amount()),
  paymentPlanAmount: optional(amount()),
  contractClass: optional(choice('ONEYEAR', 'SINGLEAPPOINTMENT')),
  contractMaxAmount: optional(amount()),
  contractAvailableAmount: optional(amount()),
});

export const balances = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    providerGroupId: ['provider_group', 'group'],
    amount: ['balance'],
    collectionsAmount: ['collectionsbalance', 'collections'],
    paymentPlanAmount: ['paymentplanbalance', 'payment_plan'],
    contractMaxAmount: ['maxamount', 'contract_max'],
    contractAvailableAmount: ['availablebalance', 'contract_available'],
  },
  async store(tx, rows) {
    const groups = await readProviderGroups(tx);
    return storeSections(tx, rows, 'balances', (round) =>
      setBalances(
        tx,
        round.map(({ patientId, values, decision }) =>
          orFailure(() => {
            const { amount: owed, collectionsAmount, paymentPlanAmount } = values;
            const input = {
              ...(owed ? { amount: owed } : {}),
              ...(collectionsAmount ? { collectionsAmount } : {}),
              ...(paymentPlanAmount ? { paymentPlanAmount } : {}),
            };
            const providerGroupId = groups.find(values.providerGroupId, 'providerGroupId').id;
            return { patientId, providerGroupId, replaces: decision === 'update', input, contract: toContract(values) };
          }),
        ),
      ),
    );
  },
});

/** @throws Failure invalid for part of a contract */
function toContract({ contractClass, contractMaxAmount, contractAvailableAmount }: z.output<typeof cells>) {
  if (!contractClass && !contractMaxAmount && !contractAvailableAmount) return null;
  if (!contractClass) throw missing('contractClass');
  if (!contractMaxAmount) throw missing('contractMaxAmount');
  const availableAmount = contractAvailableAmount ?? contractMaxAmount;
  if (Number(availableAmount) > Number(contractMaxAmount)) throw invalid('contractAvailableAmount', 'must be at most the maximum');
  return { contractClass, maxAmount: contractMaxAmount, availableAmount };
}
