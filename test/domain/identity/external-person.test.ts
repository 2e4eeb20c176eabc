import { describe, expect, it } from 'vitest';
import { readPerson } from '../../../src/domain/identity/single-sign-on/external-person.ts';

const isVerified = (claims: object) =>
  readPerson({ issuer: 'https://login.example', subject: '1', claims: { email: 'rosa@clinic.example', ...claims } }, 'groups')
    .emailVerified;

describe('an address of a provider', () => {
  it.each([
    { email_verified: true },
    { email_verified: 'true' },
    { xms_edov: true },
    { xms_edov: '1' },
    { email_verified: true, xms_edov: false },
  ])('is verified by %j', (claims) => {
    expect(isVerified(claims)).toBe(true);
  });

  it.each([
    {},
    { email_verified: false, xms_edov: true },
    { email_verified: 'false', xms_edov: 1 },
    { email_verified: null, xms_edov: true },
    { xms_edov: 0 },
  ])('is not by %j', (claims) => {
    expect(isVerified(claims)).toBe(false);
  });
});
