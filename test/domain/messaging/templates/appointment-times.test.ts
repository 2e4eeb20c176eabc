import { describe, expect, test } from 'vitest';
import {
  appointmentTimeOfDay,
  longMoment,
  shortAppointmentTime,
  zoneName,
} from '../../../../src/domain/messaging/templates/appointment-times.ts';

const DENVER = 'America/Denver';
const tenOClock = new Date('2026-12-29T17:00:00Z');

describe('the time of a visit', () => {
  test('is short, in the language, and without a character that would make an English text longer', () => {
    expect(shortAppointmentTime(tenOClock, DENVER, 'en')).toBe('Tue, Dec 29, 10:00 AM');
    expect(shortAppointmentTime(tenOClock, DENVER, 'es')).toBe('mar, 29 de dic, 10:00 a.m.');
    expect(appointmentTimeOfDay(tenOClock, DENVER, 'es')).toBe('10:00 a.m.');
    expect(longMoment(tenOClock, DENVER, 'es')).toBe('29 de diciembre de 2026 a las 10:00 a.m. MST');
    for (const tag of ['en', 'es', 'vi', 'zh'])
      expect(shortAppointmentTime(new Date('2026-12-29T21:00:00Z'), DENVER, tag)).not.toMatch(/[\u00a0\u202f]/);
  });

  test('names its zone in the hour that the clocks show twice, and not in the hours around it', () => {
    const at = (instant: string) => shortAppointmentTime(new Date(instant), DENVER, 'en');
    expect(at('2026-11-01T06:30:00Z')).toBe('Sun, Nov 1, 12:30 AM');
    expect(at('2026-11-01T07:30:00Z')).toBe('Sun, Nov 1, 1:30 AM MDT');
    expect(at('2026-11-01T08:30:00Z')).toBe('Sun, Nov 1, 1:30 AM MST');
    expect(at('2026-11-01T09:30:00Z')).toBe('Sun, Nov 1, 2:30 AM');
  });

  test('is plain on both sides of the hour that the clocks skip', () => {
    const at = (instant: string) => shortAppointmentTime(new Date(instant), DENVER, 'es');
    expect(at('2027-03-14T08:59:00Z')).toBe('dom, 14 de mar, 1:59 a.m.');
    expect(at('2027-03-14T09:00:00Z')).toBe('dom, 14 de mar, 3:00 a.m.');
  });

  test('names its zone to a patient whose own clock shows another time, and only then', () => {
    const to = (patientZone: string | null, instant = tenOClock) => shortAppointmentTime(instant, DENVER, 'en', patientZone);
    expect(to('America/New_York')).toBe('Tue, Dec 29, 10:00 AM MST');
    expect(to('America/Phoenix')).toBe('Tue, Dec 29, 10:00 AM');
    expect(to('America/Phoenix', new Date('2026-07-01T16:00:00Z'))).toBe('Wed, Jul 1, 10:00 AM MDT');
    expect(to(null)).toBe('Tue, Dec 29, 10:00 AM');
    expect(appointmentTimeOfDay(tenOClock, DENVER, 'es', 'America/New_York')).toBe('10:00 a.m. MST');
    expect(zoneName(tenOClock, 'Pacific/Honolulu', 'es')).toBe('HST');
  });
});
