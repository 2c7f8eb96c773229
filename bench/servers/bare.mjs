// The upper bound: a bare NestJS route that answers the same bytes. node servers/bare.mjs FILE, which contains { status,
// headers, body } as JSON.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { Controller, Dependencies, Get, Header, HttpCode, Module, Post, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const { status, headers, body } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const PATH = '/same';
// Nest sends only texts; a compressed body has one character for each byte
const bytes = headers['content-encoding'] && Buffer.from(body, 'latin1');

class Same {
  get(response) {
    if (!bytes) return body;
    response.end(bytes);
  }
  post() {
    return body;
  }
}

/** Applies decorators by hand, since this is JavaScript. */
function decorate(name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(Same.prototype, name);
  for (const decorator of decorators) decorator(Same.prototype, name, descriptor);
}

const answer = [HttpCode(status), ...Object.entries(headers).map(([name, value]) => Header(name, value))];
if (bytes) Res()(Same.prototype, 'get', 0);
decorate('get', Get(PATH), ...answer);
decorate('post', Post(PATH), ...answer);
Controller()(Same);
Dependencies()(Same);
class App {}
Module({ controllers: [Same] })(App);
const app = await NestFactory.create(App, { logger: false });
await app.listen(Number(process.env.PORT), '127.0.0.1');
