import { useCallback, useEffect, useState } from 'react';
import { ISSUER, type Journey, login, readBookingCheck, readJourney, session } from './client.js';
import { focus } from './step-form.js';
import { Login, STEPS } from './steps.js';

/** A journey with one issuer. After each step the service returns the next one. */
export function App() {
  const [journey, setJourney] = useState<Journey>();
  const readAgain = useCallback(async () => setJourney(await readJourney()), []);
  useEffect(() => {
    session.onEnd = () => setJourney(undefined);
  }, []);

  return (
    <main>
      <h1>A fixed deposit with {ISSUER.name}</h1>
      {journey ? (
        <>
          <progress max={100} value={journey.percent_complete} aria-label="Steps done" />
          <Step key={journey.next_step} journey={journey} done={readAgain} />
          <button className="quiet" onClick={() => void login.logOut()}>
            Log out
          </button>
        </>
      ) : (
        <Login done={readAgain} />
      )}
    </main>
  );
}

function Step({ journey, done }: { readonly journey: Journey; readonly done: () => Promise<void> }) {
  const { next_step: name, steps } = journey;
  if (name === null) return <Booking />;
  const Form = STEPS[name];
  const fields = Object.keys(steps.find(({ step }) => step === name)?.expected_params?.properties ?? {});
  return Form ? <Form done={done} fields={fields} /> : <p>This page does not know the step {name}.</p>;
}

function Booking() {
  const [check, setCheck] = useState<Awaited<ReturnType<typeof readBookingCheck>>>();
  useEffect(() => void readBookingCheck().then(setCheck), []);
  if (!check) return <p>One moment …</p>;
  if (check.is_bookable)
    return (
      <h2 ref={focus} tabIndex={-1}>
        Your deposit is ready to book.
      </h2>
    );
  return (
    <>
      <h2 ref={focus} tabIndex={-1}>
        Something is still missing
      </h2>
      <ul>
        {check.blockers.map(({ step, message }) => (
          <li key={step}>{message}</li>
        ))}
      </ul>
    </>
  );
}
