import { describe, expect, it } from 'vitest';
import { writeUsDay } from '../../../src/apis/practice/patients/record/patient-formats.wire.ts';
import { dayAt, writeDay } from '../../../src/domain/values/time/time.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { registering } from './registering.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);

const { register, refused } = registering(() => ({ test, system }));

const invalid = (...fields: string[]) => ({
  error: 'The data provided is invalid.',
  detailedmessage: expect.stringContaining(`${fields[0]}: `),
  missingfields: [],
  invalidfields: fields,
});

const day = (written: string) => new Date(`${written}T00:00:00Z`);
const today = () => dayAt(new Date(), 'America/New_York');

describe('races', () => {
  it.each([
    ['several fields', 'race=2106-3&race=2028-9&race=1006-6', ['2106-3', '2028-9', '1006-6']],
    ['tabs between', `race=${encodeURIComponent('2028-9\t2106-3')}`, ['2028-9', '2106-3']],
    ['both', `race=${encodeURIComponent('2028-9\t2106-3')}&race=2131-1`, ['2028-9', '2106-3', '2131-1']],
    ['one twice', 'race=2106-3&race=2106-3', ['2106-3']],
    ['spaces around', 'race=+2106-3+', ['2106-3']],
    ['an empty one among them', 'race=&race=2106-3', ['2106-3']],
    ['declined twice', 'race=declined&race=Declined', ['declined']],
    ['brackets', 'race%5B%5D=2106-3&race%5B%5D=2028-9', ['2106-3', '2028-9']],
    ['indices', 'race[1]=2028-9&race[0]=2106-3', ['2106-3', '2028-9']],
    ['all of these', 'race[0]=1006-6&race[]=2028-9&race=2106-3', ['2028-9', '2106-3', '1006-6']],
  ])('come as %s, the first is primary', async (_, form, races) => {
    expect((await register(form)).patient.races).toEqual(races);
  });

  it.each([
    ['unknown', 'race=9999-9'],
    ['a name', 'race=White'],
    ['an ethnicity', 'race=2135-2'],
    ['one unknown among others', 'race=2106-3&race=1'],
    ['declined and not', 'race=2106-3&race=declined'],
    ['declined and not, in one field', `race=${encodeURIComponent('declined\t2106-3')}`],
    ['more than there is use for', Array.from({ length: 51 }, (_, index) => `race=x${index}`).join('&')],
  ])('are refused: %s', async (_, form) => {
    expect((await refused(form)).body).toEqual(invalid('race'));
  });

  it('are refused by the name that was sent', async () => {
    expect((await refused('race[]=9999-9')).body).toEqual(invalid('race[]'));
    expect((await refused('sex[]=M&lastname[0]=Lee')).status).toBe(400);
  });
});

describe('a field', () => {
  it.each([
    ['address1', 100],
    ['address2', 100],
    ['city', 30],
    ['firstname', 100],
    ['lastname', 100],
  ])('%s holds %i characters and not one more', async (field, longest) => {
    const { patient } = await register({ [field]: '🩺'.repeat(longest) });
    expect(Object.values(patient)).toContain('🩺'.repeat(longest));
    expect((await refused({ [field]: 'x'.repeat(longest + 1) })).body).toEqual(invalid(field));
  });

  it.each([
    ['dob', '1980-02-29'],
    ['dob', '02/30/1980'],
    ['dob', '02/29/1981'],
    ['dob', '2/9/80'],
    ['dob', '13/01/1980'],
    ['dob', '01/01/1700'],
    ['dob', '00/00/0000'],
    ['dob', 'yesterday'],
    ['email', 'nobody'],
    ['email', 'a@example.com, b@example.com'],
    ['email', `${'x'.repeat(250)}@example.com`],
    ['sex', 'X'],
    ['sex', 'm'],
    ['sex', 'Female'],
    ['state', 'XX'],
    ['state', 'N'],
    ['state', 'Ontario'],
    ['zip', '2760'],
    ['zip', '276011'],
    ['zip', '27601-12'],
    ['zip', 'ABCDE'],
    ['zip', '٢٧٦٠١'],
    ['departmentid', 'x'],
    ['departmentid', '0'],
    ['departmentid', '-1'],
    ['departmentid', '1.5'],
    ['departmentid', '2147483648'],
    ['firstname', 'A\0B'],
    ['homephone', '9'.repeat(101)],
  ])('%s cannot be %j, and says so', async (field, value) => {
    expect((await refused({ [field]: value })).body).toEqual(invalid(field));
  });

  it.each([
    'address1',
    'address2',
    'city',
    'dob',
    'email',
    'firstname',
    'lastname',
    'homephone',
    'mobilephone',
    'state',
    'zip',
    'sex',
    'departmentid',
  ])('%s cannot be sent twice', async (field) => {
    expect((await refused(`${field}=1&${field}=2`)).body).toEqual(invalid(field));
  });

  it('names all that is wrong at once', async () => {
    expect((await refused({ dob: '02/29/1981' })).body.detailedmessage).toBe('dob: is a day that does not exist');
    expect((await refused({ sex: 'X', dob: 'x', zip: '1' })).body.invalidfields.toSorted()).toEqual(['dob', 'sex', 'zip']);
  });

  it.each([
    ['nc', 'NC'],
    ['PR', 'PR'],
    ['AE', 'AE'],
    ['DC', 'DC'],
  ])('state %s is %s', async (state, written) => expect((await register({ state })).patient.state).toBe(written));

  it.each([
    ['27601', '27601'],
    ['276011234', '27601-1234'],
    ['27601-1234', '27601-1234'],
    [' 00501 ', '00501'],
  ])('zip %s is %s', async (zip, written) => expect((await register({ zip })).patient.zip).toBe(written));
});

describe('a birth date', () => {
  const inDays = (days: number) => writeUsDay(writeDay(new Date(today().getTime() + days * 86_400_000)));

  it('may be long ago, and is not to come', async () => {
    // Two days around today: the day of the practice may change while this runs.
    expect((await register({ dob: inDays(-1) })).patient.birthDate).not.toBeNull();
    expect((await register({ dob: '01/01/1900' })).patient.birthDate).toEqual(day('1900-01-01'));
    expect((await refused({ dob: inDays(2) })).body).toEqual(invalid('dob'));
  });

  it('may lack its leading zeros, as sample programs of the field send it', async () => {
    const { patient } = await register({ dob: '6/8/1987' });
    expect(writeDay(patient.birthDate)).toBe('1987-06-08');
  });
});

describe('a telephone number', () => {
  const good = ['9105550123', '(919) 733-4321', '+1 416 555 0123', '1-787-765-4321', '8005551234'];
  const bad = [
    '911',
    '5550123',
    '+44 20 7946 0958',
    '4115550123',
    '9113456789',
    '9192222222',
    '9194567890',
    '0105550123',
    '9191234',
    'call me',
    '9105550123 ext. 5',
  ];

  it.each(good)('%s is taken', async (number) => {
    const { patient, answer } = await register({ homephone: number, mobilephone: number });
    expect(patient.homePhone).toBe(`+1${number.replace(/\D/g, '').slice(-10)}`);
    expect(patient.mobilePhone).toBe(patient.homePhone);
    expect(answer.headers['warning-fields']).toBeUndefined();
  });

  it.each(bad)('%s is ignored, and its field is named beside the unknown ones', async (number) => {
    const { patient, answer } = await register({ firstname: 'A', homephone: number, mobilephone: number, nickname: 'x' });
    expect([patient.homePhone, patient.mobilePhone, patient.mobilePhoneDeclined]).toEqual([null, null, false]);
    expect(answer.headers['warning-fields']).toBe('homephone, mobilephone, nickname');
  });

  it('that is ignored leaves an empty form, which is refused', async () => {
    const answer = await refused({ mobilephone: '911' });
    expect(answer.headers['warning-fields']).toBe('mobilephone');
  });
});
