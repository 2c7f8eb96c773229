import { ApiError, waitForBank, waitForEkyc, waitForPan } from '@fd/client';
import { type FC, type ReactNode, useEffect, useState } from 'react';
import { ISSUER, login, PARTNER_URL, readNotices, returnTo, users } from './client.js';
import { Check, Field, focus, Loaded, StepForm, type Values } from './step-form.js';

interface StepProps {
  /** Reads the journey again to get the next step. */
  readonly done: () => Promise<void>;
  /** Names of the fields that the issuer asks for in this step. */
  readonly fields: readonly string[];
}

const path = { issuer_slug: ISSUER.slug };
const query = { issuer_code: ISSUER.code };

/** Refusals about the code itself: of a login, and of an email address. */
const ABOUT_CODE = {
  field: 'otp',
  codes: [
    'SVCUSER1010',
    'SVCUSER2010',
    'SVCUSER2011',
    'SVCUSER2014',
    'SVCUSER2015',
    'SVCUSER2503',
    'SVCUSER2504',
  ],
};

interface CodeFormProps {
  readonly title: string;
  readonly submit: string;
  readonly send: (values: Values) => Promise<void>;
  /** Sends a new code. */
  readonly sendCode: () => Promise<unknown>;
  /** Goes back to the form of the address. */
  readonly change: { readonly label: string; readonly act: () => void };
  readonly children?: ReactNode;
}

/** Asks for a code. A code may get lost or be refused: a new one can be sent, or the address changed. */
function CodeForm({ sendCode, change, children, ...form }: CodeFormProps) {
  const [resent, setResent] = useState(0);
  const other = {
    label: 'Send a new code',
    send: async () => {
      await sendCode();
      setResent((times) => times + 1);
    },
  };
  return (
    <>
      <StepForm {...form} other={other} about={ABOUT_CODE}>
        {resent > 0 && <p role="status">A new code is on its way.</p>}
        {/* empty and focused again for each code */}
        <Field
          key={resent}
          name="otp"
          label="Code"
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
        />
        {children}
      </StepForm>
      <button className="quiet" onClick={change.act}>
        {change.label}
      </button>
    </>
  );
}

/** The session ends here at once; a failure at the service changes nothing for the person. */
export const LogOut = () => (
  <button className="quiet" onClick={() => void login.logOut().catch(() => undefined)}>
    Log out
  </button>
);

export function Login({ done }: Pick<StepProps, 'done'>) {
  const [phone, setPhone] = useState<string>();
  const [unconfirmed, setUnconfirmed] = useState<{ readonly needsSharing: boolean }>();
  const sendCode = (to: string) => users.post('/auth/register', { body: { phone: to } });
  if (unconfirmed)
    return (
      <>
        <Confirmation done={done} {...unconfirmed} />
        <LogOut />
      </>
    );
  if (phone === undefined)
    return (
      <StepForm
        title="Your mobile number"
        submit="Send me a code"
        send={async ({ phone = '' }) => {
          await sendCode(phone);
          setPhone(phone);
        }}
      >
        <Field
          name="phone"
          label="Mobile number"
          type="tel"
          autoComplete="tel"
          hint="12 digits with the prefix 91, such as 919999900003."
        />
      </StepForm>
    );
  return (
    <CodeForm
      title={`The code that we sent to ${phone}`}
      submit="Log in"
      sendCode={() => sendCode(phone)}
      change={{ label: 'Use another number', act: () => setPhone(undefined) }}
      send={async ({ otp = '', consent }) => {
        const body = { phone, otp, partner_url: PARTNER_URL, consent: consent === 'on' };
        const { payload } = await login.logIn(body);
        if (!payload.needs_confirmation) return done();
        setUnconfirmed({ needsSharing: payload.needs_sharing_consent === true });
      }}
    >
      <Check name="consent" label="I agree to the terms of use." />
    </CodeForm>
  );
}

interface ConfirmationProps extends Pick<StepProps, 'done'> {
  /** Whether the account was begun in the app of another partner. */
  readonly needsSharing: boolean;
}

/** After a long pause, or in the app of another partner: the number may have another owner. */
const Confirmation: FC<ConfirmationProps> = ({ done, needsSharing }) => {
  const anew = {
    label: 'The number is newly mine: begin a new account',
    send: async () => {
      await login.startAnew();
      await done();
    },
  };
  return (
    <StepForm
      title="Is this your account?"
      submit="It is mine"
      other={anew}
      about={{ field: 'number', codes: ['SVCUSER2109'] }}
      send={async ({ number = '', dob = '', share }) => {
        const sharing = needsSharing ? { share_with_partner: share === 'on' } : {};
        const body = { number: number.toUpperCase(), dob, ...sharing };
        await users.post('/api/v1/account-confirmation', { body });
        await done();
      }}
    >
      <p>There is an account with this number. Give the PAN and the date of birth that are in it.</p>
      <Field name="number" label="PAN" />
      <Field name="dob" label="Date of birth" type="date" />
      {needsSharing && (
        <Loaded load={readNotices}>
          {(notices) => (
            <Check name="share" label={notices.find(({ purpose }) => purpose === 'PARTNER_SHARING')!.text} />
          )}
        </Loaded>
      )}
    </StepForm>
  );
};

const isRefusedWith = (error: unknown, code: string): boolean =>
  error instanceof ApiError && error.code === code;

const Pan: FC<StepProps> = (props) => {
  const [isOfAnother, setOfAnother] = useState(false);
  const [isClaiming, setClaiming] = useState(false);
  if (isClaiming)
    return (
      <>
        <Ekyc {...props} />
        <button className="quiet" onClick={() => setClaiming(false)}>
          Use another PAN
        </button>
      </>
    );
  // the PAN of another user moves to the person whose eKYC is complete
  const claim = { label: 'It is mine: go on to the eKYC', send: () => Promise.resolve(setClaiming(true)) };
  return (
    <StepForm
      title="Your PAN"
      submit="Verify my PAN"
      {...(isOfAnother && { other: claim })}
      send={async ({ number = '', dob = '', consent_checked }, awaits) => {
        const body = { number: number.toUpperCase(), dob, consent_checked: consent_checked === 'on' };
        try {
          const { payload } = await users.post('/api/v1/pan-verification', { body });
          // 202: the registry is slow
          if ('pending_code' in payload) {
            awaits('the PAN registry');
            await waitForPan(users, payload.verification_id);
          }
        } catch (error) {
          setOfAnother(isRefusedWith(error, 'SVCUSER1036'));
          throw error;
        }
        await props.done();
      }}
    >
      <Field name="number" label="PAN" />
      <Field name="dob" label="Date of birth" type="date" />
      <Check name="consent_checked" label="My PAN may be checked at the registry." />
    </StepForm>
  );
};

const Ekyc: FC<StepProps> = ({ done }) => {
  const [link, setLink] = useState<string>();
  const [outcome, setOutcome] = useState<string>();
  const [failure, setFailure] = useState<unknown>();
  // polls while the person is on the eKYC page
  useEffect(() => {
    if (link === undefined) return undefined;
    const leaving = new AbortController();
    waitForEkyc(users, ISSUER.slug, { signal: leaving.signal })
      .then(async ({ payload }) => {
        if (payload.is_ekyc_verified) return done();
        setOutcome('It did not succeed. Begin again.');
        return setLink(undefined);
      })
      .catch((error: unknown) => {
        if (leaving.signal.aborted) return;
        setOutcome(undefined);
        setFailure(error);
        setLink(undefined);
      });
    return () => leaving.abort();
  }, [link, done]);

  if (link !== undefined)
    return (
      <section aria-live="polite">
        <h2>Prove who you are</h2>
        <a ref={focus} className="button" href={link} target="_blank" rel="noreferrer">
          Open the eKYC page
        </a>
        <p>It opens in another tab. Come back when it is done: we wait for the result here.</p>
      </section>
    );
  return (
    <StepForm
      title="Prove who you are"
      submit="Begin eKYC"
      failure={failure}
      send={async () => {
        const address = returnTo();
        const { payload } = await users.post('/issuer-apis/{issuer_slug}/v3/check-status', {
          path,
          body: address === undefined ? {} : { redirection_url: address },
        });
        if (payload.is_ekyc_verified) await done();
        else {
          setFailure(undefined);
          setLink(payload.ekyc_url);
        }
      }}
    >
      {outcome && <p role="status">{outcome}</p>}
    </StepForm>
  );
};

const Email: FC<StepProps> = ({ done }) => {
  const [email, setEmail] = useState<string>();
  const sendCode = (to: string) => users.post('/api/v1/email/send-otp', { body: { email: to } });
  if (email === undefined)
    return (
      <StepForm
        title="Your email address"
        submit="Mail me a code"
        send={async ({ email = '' }) => {
          await sendCode(email);
          setEmail(email);
        }}
      >
        <Field name="email" label="Email address" type="email" autoComplete="email" />
      </StepForm>
    );
  return (
    <CodeForm
      title={`The code that we mailed to ${email}`}
      submit="Verify my address"
      sendCode={() => sendCode(email)}
      change={{ label: 'Use another address', act: () => setEmail(undefined) }}
      send={async ({ otp = '' }) => {
        await users.post('/api/v1/email/verify-otp', { body: { email, otp } });
        await done();
      }}
    />
  );
};

const readOptions = async () => (await users.get('/api/v1/personal-details/options', { query })).payload;

/** Labels of the fields that an issuer may ask for, beside the address and the statements. */
const LABELS: Readonly<Record<string, string>> = {
  gender: 'Gender',
  marital_status: 'Marital status',
  mother_name: 'Name of your mother',
  place_of_birth: 'Place of birth',
  occupation: 'Occupation',
  annual_income_range: 'Income in a year',
  source_of_funds: 'Source of the money',
  nationality: 'Nationality',
  residential_status: 'Residential status',
};

const PersonalDetails: FC<StepProps> = (props) => (
  <Loaded load={readOptions}>{(choices) => <PersonalDetailsForm {...props} choices={choices} />}</Loaded>
);

type Choices = Awaited<ReturnType<typeof readOptions>>;

function PersonalDetailsForm({ done, fields, choices }: StepProps & { readonly choices: Choices }) {
  const { declarations } = choices;
  // a field without options is a text
  const options: Readonly<Record<string, readonly { key: string; value: string }[] | undefined>> =
    choices.options;
  const asked = Object.entries(LABELS).filter(([name]) => fields.includes(name));
  return (
    <StepForm
      title="About you"
      submit="Save"
      send={async (values) => {
        const declared = declarations.map(({ code, version }) => ({
          code,
          version,
          accepted: values[`declarations.${code}`] === 'on',
        }));
        const ofAddress = (name: string): string => values[`communication_address.${name}`] ?? '';
        const chosen = Object.fromEntries(asked.map(([name]) => [name, values[name]]));
        await users.post('/api/v1/personal-details', {
          query,
          body: {
            ...chosen,
            communication_address: {
              line1: ofAddress('line1'),
              line2: '',
              city: ofAddress('city'),
              state_code: ofAddress('state_code'),
              pincode: ofAddress('pincode'),
            },
            is_pep: values['is_pep'] === 'on',
            is_tax_resident_india_only: values['is_tax_resident_india_only'] === 'on',
            declarations: declared,
          },
        });
        await done();
      }}
    >
      {asked.map(([name, label]) => (
        <Field key={name} name={name} label={label} options={options[name]} />
      ))}
      <Field name="communication_address.line1" label="Address" autoComplete="street-address" />
      <Field name="communication_address.city" label="City" autoComplete="address-level2" />
      <Field name="communication_address.state_code" label="State" options={options['state_code']} />
      <Field name="communication_address.pincode" label="PIN code" autoComplete="postal-code" />
      <Check
        name="is_pep"
        label="I hold a high public office, or am a close associate of someone who does."
      />
      <Check name="is_tax_resident_india_only" label="I pay tax in India only." />
      {declarations.map(({ code, text }) => (
        <Check key={code} name={`declarations.${code}`} label={text} />
      ))}
    </StepForm>
  );
}

const Bank: FC<StepProps> = ({ done }) => {
  const [isOtherName, setOtherName] = useState(false);
  return (
    <StepForm
      title="Your bank account"
      submit="Verify my account"
      send={async ({ account = '', ifsc = '', ask_for_review }, awaits) => {
        const review = ask_for_review === 'on' ? { ask_for_review: true } : {};
        const body = { account, ifsc: ifsc.toUpperCase(), issuer_code: ISSUER.code, ...review };
        try {
          const { status, payload } = await users.post('/api/v1/bank/sync-to-issuer', { body });
          if (status === 202) {
            awaits('your bank and the issuer');
            // also ends when an operator has to compare the names
            await waitForBank(users, payload.verification_id);
          }
        } catch (error) {
          setOtherName((was) => was || isRefusedWith(error, 'SVCUSER1055'));
          throw error;
        }
        await done();
      }}
    >
      <Field name="account" label="Account number" />
      <Field name="ifsc" label="IFSC" />
      {isOtherName && (
        <Check name="ask_for_review" label="The account is mine: let a person compare the names." />
      )}
    </StepForm>
  );
};

const RELATIONSHIPS = ['SPOUSE', 'FATHER', 'MOTHER', 'SON', 'DAUGHTER', 'BROTHER', 'SISTER'] as const;

const relationships = RELATIONSHIPS.map((key) => ({ key, value: key[0] + key.slice(1).toLowerCase() }));
/** The service refuses a choice that was left out. */
const relationshipOf = (value: string | undefined) => value as (typeof RELATIONSHIPS)[number];

const Nominee: FC<StepProps> = ({ done }) => {
  const [isMinor, setMinor] = useState(false);
  return (
    <StepForm
      title="Your nominee"
      submit="Name this person"
      send={async (values) => {
        const { name = '', dob = '' } = values;
        const guardian = {
          name: values['guardian.name'] ?? '',
          relationship: relationshipOf(values['guardian.relationship']),
          dob: values['guardian.dob'] ?? '',
        };
        const body = { name, relationship: relationshipOf(values['relationship']), dob };
        try {
          // one who blocks the booking is corrected: a second POST would add another
          const [named] = (await users.get('/api/v1/user-nominee')).payload.nominees;
          if (named)
            await users.put('/api/v1/user-nominee/{nominee_id}', {
              path: { nominee_id: named.nominee_id },
              body: { ...body, guardian: guardian.name ? guardian : null },
            });
          else
            await users.post('/api/v1/user-nominee', { body: guardian.name ? { ...body, guardian } : body });
        } catch (error) {
          setMinor((was) => was || isRefusedWith(error, 'SVCUSER2704'));
          throw error;
        }
        await done();
      }}
    >
      <Field name="name" label="Name" />
      <Field name="relationship" label="Relationship" options={relationships} />
      <Field name="dob" label="Date of birth" type="date" />
      {isMinor && (
        <>
          <Field name="guardian.name" label="Name of the guardian" />
          <Field
            name="guardian.relationship"
            label="Relationship of the guardian to the nominee"
            options={relationships}
          />
          <Field name="guardian.dob" label="Date of birth of the guardian" type="date" />
        </>
      )}
    </StepForm>
  );
};

/** Forms by step name of the journey. */
export const STEPS: Readonly<Record<string, FC<StepProps>>> = {
  PAN: Pan,
  EKYC: Ekyc,
  EMAIL: Email,
  PERSONAL_DETAILS: PersonalDetails,
  BANK: Bank,
  NOMINEE: Nominee,
};
