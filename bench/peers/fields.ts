/** The columns of our responses in camel case, as the peers name them. Values computed from other rows are left out. */
export const PATIENT =
  `firstName middleName lastName suffix preferredName altFirstName preferredPronouns sex assignedSexAtBirth genderIdentity
  genderIdentityOther sexualOrientation sexualOrientationOther birthDate deceasedDate registrationDate maritalStatus races ethnicityCode
  languageCode ssnLastFour address1 address2 city state zip countryCode countryCode3166 homePhone mobilePhone mobilePhoneDeclined workPhone email
  emailDeclined lastEmail contactPreference doNotCall homebound contactName contactRelationship contactHomePhone contactMobilePhone
  nextOfKinName nextOfKinRelationship nextOfKinPhone guardianFirstName guardianMiddleName guardianLastName guardianSuffix guarantorFirstName
  guarantorMiddleName guarantorLastName guarantorSuffix guarantorAddressSameAsPatient guarantorAddress1 guarantorAddress2 guarantorCity
  guarantorState guarantorZip guarantorCountryCode guarantorCountryCode3166 guarantorBirthDate guarantorSsnLastFour guarantorEmail guarantorPhone
  guarantorRelationshipToPatient guarantorEmployerId employerId employerPhone industryCode occupationCode primaryOfficeId primaryProviderId
  portalTermsOnFile portalSignatureOnFile portalAccessGiven medicationHistoryConsentVerified status`.split(/\s+/);

export const EMPLOYER = ['name', 'address', 'city', 'phone'];

/** Of a patient after an update, and of the patient of an appointment. */
export const SHORT_PATIENT =
  `status firstName lastName address1 address2 city state zip email mobilePhone birthDate admitDate sex medicalRecordNo census
  primaryProviderId locationId flags doNotSms`.split(/\s+/);

export const APPOINTMENT =
  `startsAt localStart timeZone endsAt durationMinutes status confirmation confirmedAt confirmedBy showOnTasks initialSmsSent typeId
  patientId officeId locationId waitingRoomId providerId createdByUserId createdAt updatedAt`.split(/\s+/);

export const APPOINTMENT_TYPE = ['name', 'description', 'durationMinutes', 'active', 'isGlobal', 'createdAt', 'updatedAt'];
export const OFFICE = `name patientDepartmentName address1 address2 city state zip phone fax timeZone active`.split(/\s+/);
