import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { breakingChanges } from '../../scripts/breaking-changes.ts';

const text = readFileSync(join(import.meta.dirname, '../../openapi/integration.json'), 'utf8');

/** The changes of the document of the integration API after a replacement in its text. */
const after = (find: string | RegExp, replacement: string): string[] => {
  const changed = text.replace(find, replacement);
  expect(changed).not.toBe(text);
  return breakingChanges(JSON.parse(text), JSON.parse(changed));
};

it('a document breaks no client of itself', () => {
  expect(breakingChanges(JSON.parse(text), JSON.parse(text))).toEqual([]);
});

it('names the operation and the member that goes away, and who breaks', () => {
  expect(after('"/api/appointments/{uuid}"', '"/api/visits/{uuid}"')).toContain(
    'PUT /api/appointments/{uuid}: the operation is gone; every client that calls it breaks',
  );
  const sent = JSON.parse(text);
  delete sent.components.schemas.AppointmentRequest.properties.duration_minutes;
  expect(breakingChanges(JSON.parse(text), sent)).toEqual([
    'POST /api/appointments: request.duration_minutes is gone; who sends it breaks',
    'PUT /api/appointments/{uuid}: request.duration_minutes is gone; who sends it breaks',
  ]);
  const read = JSON.parse(text);
  read.components.schemas.Appointment.properties.confirmation.enum.push('lost');
  expect(breakingChanges(JSON.parse(text), read)).toContainEqual(
    expect.stringMatching(/^GET \/api\/appointments\/\{uuid\}: answer\.data\.confirmation is .* or lost and was .*; who reads it breaks$/),
  );
});

it('leaves alone what was added, and what was deprecated before', () => {
  const before = JSON.parse(text.replace('"operationId": "cancelAppointment",', '"operationId": "cancelAppointment", "deprecated": true,'));
  const now = JSON.parse(text);
  delete now.paths['/api/appointments/{uuid}'].delete;
  expect(breakingChanges(before, now)).toEqual([]);
  now.components.schemas.Appointment.properties.further = { type: 'string' };
  expect(breakingChanges(before, now)).toEqual([]);
});
