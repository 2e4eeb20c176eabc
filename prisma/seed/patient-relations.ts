import { dayBetween } from './dates.ts';
import { type PatientDraw, plainLetters } from './patient-draw.ts';
import type { PatientRow } from './plan.ts';
import { drawn, perhaps } from './random.ts';

/** The emergency contact, the next of kin, and for a child the guardian. */
export function relatives({ seeding: { phone }, random }: PatientDraw, who: PatientRow, child: boolean): PatientRow {
  const [contactHomePhone, contactMobilePhone] = [phone(), phone()];
  const contactName = `${random.person.firstName()} ${who.lastName}`;
  const relationship = random.helpers.arrayElement(['SPOUSE', 'PARENT', 'CHILD', 'SIBLING', 'FRIEND', 'COUSIN', 'OTHER']);
  const contactRelationship = child ? 'PARENT' : relationship;
  const guardian = random.person.firstName();
  const known = random.datatype.boolean(0.7);
  const sameKin = random.datatype.boolean(0.4);
  return {
    ...(known && { contactName, contactRelationship, contactMobilePhone, contactHomePhone: sameKin ? contactHomePhone : null }),
    ...(known && sameKin && { nextOfKinName: contactName, nextOfKinRelationship: contactRelationship, nextOfKinPhone: contactMobilePhone }),
    ...(child && { guardianFirstName: guardian, guardianLastName: who.lastName ?? null }),
  };
}

/** Adults mostly pay for themselves (relationship 1), some for a spouse (2); a parent pays for a child (3). */
export function guarantor(draw: PatientDraw, who: PatientRow, child: boolean): PatientRow {
  const { random, employerIds } = draw;
  const adult = drawn(random, { '1': 8, '2': 1, none: 2 });
  const other = otherPayer(draw, who);
  const guarantorEmployerId = perhaps(random, 0.3, random.helpers.arrayElement(employerIds));
  const together = random.datatype.boolean(0.9);
  const relationship = child ? '3' : adult;
  if (relationship === 'none') return {};
  return {
    ...(relationship === '1' ? selfPayer(who) : other),
    guarantorLastName: who.lastName ?? null,
    guarantorRelationshipToPatient: relationship,
    guarantorEmployerId,
    guarantorAddressSameAsPatient: together,
    ...(together ? {} : addressElsewhere(who)),
  };
}

/** A guarantor who is a patient too, and lives with the one whom they pay for. */
export function guarantorAtHome(who: PatientRow, payer: PatientRow): PatientRow {
  return {
    ...selfPayer(payer),
    ...Object.fromEntries(Object.keys(addressElsewhere(who)).map((field) => [field, null])),
    guarantorLastName: payer.lastName ?? null,
    guarantorAddressSameAsPatient: true,
    guarantorRelationshipToPatient: who.guarantorRelationshipToPatient ?? null,
    guarantorSsn: payer.ssn ?? null,
  };
}

/** Of a guarantor who does not live with the patient; the address of one who does is read from the patient. */
function addressElsewhere({ city = null, state = null, zip = null }: PatientRow): PatientRow {
  return {
    guarantorAddress1: '9 Elsewhere Lane',
    guarantorCity: city,
    guarantorState: state,
    guarantorZip: zip,
    guarantorCountryCode: 'USA',
    guarantorCountryCode3166: 'US',
  };
}

function selfPayer({ firstName = null, birthDate = null, email = null, homePhone, mobilePhone }: PatientRow): PatientRow {
  const guarantorPhone = homePhone ?? mobilePhone ?? null;
  return { guarantorFirstName: firstName, guarantorBirthDate: birthDate, guarantorPhone, guarantorEmail: email };
}

function otherPayer({ seeding: { phone }, random }: PatientDraw, { lastName }: PatientRow): PatientRow {
  const firstName = random.person.firstName();
  return {
    guarantorFirstName: firstName,
    guarantorBirthDate: dayBetween(random, '1965-01-01', '1995-12-31'),
    guarantorPhone: phone(),
    guarantorEmail: `${plainLetters(firstName)}.${plainLetters(lastName)}@example.org`,
  };
}

/** Industries and occupations of adults, in codes of the US Census. */
export function work({ seeding: { phone }, random, employerIds }: PatientDraw, child: boolean): PatientRow {
  const [employerId, employerPhone] = [random.helpers.arrayElement(employerIds), phone()];
  const overrides = random.datatype.boolean(0.15);
  const industryCode = perhaps(random, 0.8, drawn(random, { '8190': 4, '7860': 3, '0770': 2, other: 1 }));
  const occupationCode = perhaps(random, 0.8, drawn(random, { '3255': 4, '2310': 3, '4720': 2, other: 1 }));
  if (child || !random.datatype.boolean(0.55)) return {};
  return { employerId, employerPhone: overrides ? employerPhone : null, industryCode, occupationCode };
}
