import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('patients of the integration API', () => {
  it('are created and found by record number', async () => {
    const clinic = await integrationClient(test);
    const created = await clinic.post('/patients').send({ fname: 'Zoë', lname: 'Núñez', med_rec_no: 'A-1', dob: '1980-02-29', phone_no: '(910) 555-0123', address: { address: '1 Main St', city: 'Raleigh', state: 'NC', zip: '27601' } });
    expect(created.status).toBe(200);
    expect(created.body.data).toMatchObject({ firstname: 'Zoë', phone_no: '9105550123', dob: '1980-02-29' });
    const found = await clinic.get('/patients/mrn/A-1');
    expect(found.body).toEqual(created.body);
  });
});
