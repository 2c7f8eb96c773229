// The ceilings: the same bytes from as little code as each framework allows.
// node servers/bare.mjs KIND FILE: KIND is http, express, nest or nest-redis; FILE holds { headers, body } as JSON.
// nest-redis makes two round trips to REDIS_URL before it answers.
import 'reflect-metadata';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Controller, Dependencies, Get, Header, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import { Redis } from 'ioredis';

const [, , kind, file] = process.argv;
const { headers, body } = JSON.parse(readFileSync(file, 'utf8'));
const PATH = '/same';

function bareHttp() {
  return createServer((request, response) => {
    request.resume();
    response.writeHead(200, headers).end(body);
  });
}

function bareExpress() {
  const app = express();
  app.all(PATH, (_request, response) => response.set(headers).send(body));
  return createServer(app);
}

/** Decorators by hand: this is JavaScript, as the compiled services are. */
function decorate(target, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(target.prototype, name);
  for (const decorator of decorators) decorator(target.prototype, name, descriptor);
}

async function bareNest(work) {
  class Same {
    get() {
      return work();
    }
    post() {
      return work();
    }
  }
  const told = Object.entries(headers).map(([name, value]) => Header(name, value));
  decorate(Same, 'get', Get(PATH), HttpCode(200), ...told);
  decorate(Same, 'post', Post(PATH), HttpCode(200), ...told);
  Controller()(Same);
  Dependencies()(Same);
  class App {}
  Module({ controllers: [Same] })(App);
  const app = await NestFactory.create(App, { logger: false });
  await app.init();
  return app.getHttpServer();
}

async function twoRoundTrips() {
  const redis = new Redis(process.env.REDIS_URL);
  return async () => {
    await redis.get('bench:first');
    await redis.get('bench:second');
    return body;
  };
}

const make = {
  http: bareHttp,
  express: bareExpress,
  nest: () => bareNest(() => body),
  'nest-redis': async () => bareNest(await twoRoundTrips()),
};
const server = await make[kind]();
server.listen(Number(process.env.PORT), '127.0.0.1');
