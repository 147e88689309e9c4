import { groupBy } from '../../collections.ts';
import { Card, List, More, Section } from '../../report/formats/html/kit/section.tsx';
import { Box, Captioned, Commands, inline, lines, sizeOf } from '../../report/formats/html/kit/text.tsx';
import type { RecordedBody } from '../../report/record/record.ts';
import { counted, squeezed, withSeparators } from '../../text.ts';
import type { Answer, Comparison, Disagreement } from '../comparison.ts';
import type { Differential } from '../table.ts';
import { AllNames, Ways } from './page-parts.tsx';

export function Disagreements({ comparison: { differential } }: Readonly<{ comparison: Comparison }>) {
  return (
    <Section id="disagreements" heading="Disagreements">
      {differential === null ? (
        <p class="note">Saved records were compared, so no payloads were sent.</p>
      ) : (
        <Found {...differential} />
      )}
    </Section>
  );
}

function Found({ payloads, disagreements, more }: Differential) {
  if (disagreements.length + more === 0)
    return <p>All stores agree on {counted(payloads, 'generated payload')}.</p>;
  return (
    <>
      <p class="note">
        In addition to the checks, every responding store was sent the same {counted(payloads, 'payload')}.
        Payloads that divide the stores in the same way are one disagreement, shown with one shrunk payload.
        Statuses of the same class count as equal, and so do messages.
      </p>
      <List
        ordered
        class="kinds"
        items={disagreements.map((one, index) => <DisagreementDetails one={one} number={index + 1} />)}
      />
      {more > 0 && (
        <p class="note">
          {withSeparators(more)} more {more === 1 ? 'disagreement is' : 'disagreements are'} not shown.
        </p>
      )}
    </>
  );
}

function DisagreementDetails({ one, number }: Readonly<{ one: Disagreement; number: number }>) {
  const { label, request, payloads, shrinks, ways } = one;
  return (
    <Card
      tone="kind"
      id={`disagreement-${number}`}
      open={number === 1}
      mark={<span class="rank">{number}</span>}
      head={
        <>
          <span class="title">{inline(label, 100)}</span>
          <span class="code dim">{inline(squeezed(bodyText(request.body)), 120)}</span>
        </>
      }
      weight={
        <>
          <span>{counted(payloads, 'payload')}</span>
          <span class="aside">{ways.map(({ answers }) => answers.length).join(' : ')} stores</span>
        </>
      }
    >
      <Captioned
        title="Sent"
        aside={
          <>
            as {request.contentType === '' ? 'no content type' : inline(request.contentType, 100)},{' '}
            {sizeOf(request.body)}
            {shrinks > 0 && `, shrunk in ${counted(shrinks, 'step')}`}
          </>
        }
        text={lines(bodyText(request.body))}
      />
      <Commands list={[request.command]} />
      <Ways
        ways={ways.map(({ signature, answers }) => ({
          head: <h3>{inline(signature, 200)}</h3>,
          names: answers.map(({ name }) => name),
          details: <Answers answers={answers} />,
        }))}
      />
      <p class="permalink">
        <a href={`#disagreement-${number}`}>#disagreement-{number}</a>
      </p>
    </Card>
  );
}

function Answers({ answers }: Readonly<{ answers: readonly Answer[] }>) {
  const alike = groupBy(answers, ({ name: _name, ...answer }) => JSON.stringify(answer));
  return (
    <More summary={answers.length === 1 ? 'Response' : 'Responses'}>
      <ul class="responses">
        {alike.map(([, members]) => {
          const [{ status, contentType, body, fault }] = members;
          return (
            <li>
              <p>
                <AllNames names={members.map(({ name }) => name)} />
              </p>
              <p class="aside">
                {status ?? inline(fault ?? 'no response')}{' '}
                {contentType !== undefined && inline(contentType, 100)}
                {body !== undefined && `, ${sizeOf(body)}`}
              </p>
              {body !== undefined && body.bytes > 0 && <Box text={lines(bodyText(body))} />}
            </li>
          );
        })}
      </ul>
    </More>
  );
}

const bodyText = (body: RecordedBody): string =>
  body.bytes === 0 ? '(no body)' : 'text' in body ? body.text : `(not UTF-8; base64) ${body.base64}`;
