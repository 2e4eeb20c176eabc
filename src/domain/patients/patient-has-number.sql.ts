/** SQL of whether a number, as E.164, is the mobile or the home number of the chart `p`. */
export const patientHasNumber = (number: string) => `coalesce(${number} IN (p.mobile_phone, p.home_phone), false)`;
