import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { createCharts } from './charts.ts';

const test = await sharedTestApp();
const clinic = await practiceClient(test);

const { rows, newPatient, read } = createCharts(() => ({ test, clinic }));
const day = (text: string) => new Date(`${text}T00:00:00Z`);

async function newGroup(offices: number, organizationId = clinic.organizationId) {
  const group = await rows().providerGroup.create({ data: { organizationId, name: 'Group' } });
  const ids: number[] = [];
  for (let index = 0; index < offices; index += 1) ids.push((await createOffice(rows(), { organizationId, providerGroupId: group.id })).id);
  return { id: group.id, officeIds: ids };
}

describe('balances', () => {
  it('are one for each provider group, with its departments, amounts and contracts', async () => {
    const { organizationId } = clinic;
    const [patient, first, second] = [await newPatient(), await newGroup(2), await newGroup(0)];
    await createOffice(rows(), { organizationId, providerGroupId: first.id, active: false });
    const account = { organizationId, patientId: patient.id };
    await rows().balance.createMany({
      data: [
        { ...account, providerGroupId: first.id, amount: '-25.15' },
        { ...account, providerGroupId: second.id, amount: '120.00', collectionsAmount: '20.5', paymentPlanAmount: '100' },
      ],
    });
    const contract = { ...account, providerGroupId: first.id };
    await rows().balanceContract.createMany({
      data: [
        { ...contract, contractClass: 'ONEYEAR', maxAmount: '2500', availableAmount: '1810.40' },
        { ...contract, contractClass: 'SINGLEAPPOINTMENT', maxAmount: '0.05', availableAmount: '0' },
      ],
    });
    expect((await read(patient.id, '?showbalancedetails=true')).balances).toEqual([
      {
        providergroupid: String(first.id),
        departmentlist: first.officeIds.join(','),
        balance: '-25.15',
        cleanbalance: 'false',
        collectionsbalance: '0',
        paymentplanbalance: '0',
        contracts: [
          { contractclass: 'ONEYEAR', maxamount: '2500', availablebalance: '1810.40' },
          { contractclass: 'SINGLEAPPOINTMENT', maxamount: '0.05', availablebalance: '0' },
        ],
      },
      {
        providergroupid: String(second.id),
        departmentlist: '',
        balance: '120',
        cleanbalance: 'false',
        collectionsbalance: '20.50',
        paymentplanbalance: '100',
        contracts: [],
      },
    ]);
  });

  it.each([
    ['owes nothing', { amount: '0' }, 'true'],
    ['owes something', { amount: '12.34' }, 'true'],
    ['has something in collections', { amount: '12.34', collectionsAmount: '0.01' }, 'false'],
    ['pays by a plan', { amount: '12.34', paymentPlanAmount: '10' }, 'false'],
  ])('are clean of a patient who %s: %s %s', async (_, amounts, clean) => {
    const [patient, group] = [await newPatient(), await newGroup(1)];
    await rows().balance.create({
      data: { organizationId: clinic.organizationId, patientId: patient.id, providerGroupId: group.id, ...amounts },
    });
    expect((await read(patient.id, '?showbalancedetails=true')).balances).toMatchObject([{ cleanbalance: clean }]);
  });

  it('are an empty list where there are none', async () => {
    expect(await read((await newPatient()).id, '?showbalancedetails=true')).toMatchObject({ balances: [], claims: [] });
  });
});

describe('claims', () => {
  it('are those with an outstanding balance, and with showallclaims the others too, the newest first', async () => {
    const { organizationId } = clinic;
    const [patient, other, group] = [await newPatient(), await newPatient(), await newGroup(1)];
    const claim = { organizationId, patientId: patient.id, providerGroupId: group.id };
    const [open, paid] = await rows().claim.createManyAndReturn({
      data: [
        { ...claim, serviceDate: day('2026-01-05'), description: 'Visit', chargeAmount: '150', outstandingPatient: '30.25' },
        { ...claim, serviceDate: day('2026-02-28'), chargeAmount: '80.00', outstandingPatient: '0' },
        { ...claim, patientId: other.id, serviceDate: day('2026-02-28'), chargeAmount: '80.00', outstandingPatient: '80' },
      ],
      select: { id: true },
    });
    const openClaim = {
      claimid: String(open?.id),
      providergroupid: String(group.id),
      servicedate: '01/05/2026',
      description: 'Visit',
      chargeamount: '150',
      outstandingamount: '30.25',
    };
    const paidClaim = {
      claimid: String(paid?.id),
      providergroupid: String(group.id),
      servicedate: '02/28/2026',
      chargeamount: '80',
      outstandingamount: '0',
    };
    expect((await read(patient.id, '?showbalancedetails=true')).claims).toEqual([openClaim]);
    expect((await read(patient.id, '?showbalancedetails=true&showallclaims=false')).claims).toEqual([openClaim]);
    expect((await read(patient.id, '?showbalancedetails=true&showallclaims=true')).claims).toEqual([paidClaim, openClaim]);
    expect(await read(patient.id, '?showallclaims=true')).toEqual(await read(patient.id));
  });
});
