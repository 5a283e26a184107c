# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Visitors and editors of the site: its operations, and what is right about the responses."""
import json
import random
import re
import time
import urllib.parse

from load import Client, Wrong

EDITORS = 8  # as in site/content.php
WORDS = ["amber", "basalt", "cedar", "delta", "ember", "fjord", "granite", "harbour"]
DAY, LAST = 86400, 1704020400
# So many of each twenty operations.
MIX = {"front": 4, "post": 5, "archive": 3, "search": 2, "login": 2, "comment": 2, "publish": 2}
FORM = ("Content-Type", "application/x-www-form-urlencoded")


class Editor:
    def __init__(self, client, number):
        self.client, self.name, self.password = client, f"editor{number}", f"password{number}"
        self.cookies = self.nonce = ""

    async def log_in(self):
        """Logs in as a browser does, and shows a page that only editors see."""
        form = urllib.parse.urlencode({"log": self.name, "pwd": self.password, "testcookie": 1,
                                       "redirect_to": "http://127.0.0.1/wp-admin/admin-ajax.php?action=rest-nonce"})
        answer = await self.client.fetch("/wp-login.php", method="POST", body=form.encode(),
                                         headers=[FORM, ("Cookie", "wordpress_test_cookie=WP%20Cookie%20check")])
        answer.expect(302)
        cookies = [value.split(";")[0] for key, value in answer.headers if key == "set-cookie"]
        if not any(re.match(rf"wordpress_logged_in_\w+={self.name}%7C", cookie) for cookie in cookies):
            raise Wrong(f"{self.name} is not logged in: {cookies}")
        cookies = "; ".join(dict.fromkeys(cookies))
        path = urllib.parse.urlsplit(answer.header("location"))
        answer = await self.client.fetch(f"{path.path}?{path.query}", headers=[("Cookie", cookies)])
        nonce = answer.expect(200).body.decode()
        if not re.fullmatch(r"[0-9a-f]{10}", nonce):
            raise Wrong(f"{nonce[:100]!r} is not a nonce")
        return cookies, nonce

    async def begin(self):
        self.cookies, self.nonce = await self.log_in()

    async def show(self, url, marker):
        path = urllib.parse.urlsplit(url).path
        (await self.client.fetch(path, headers=[("Cookie", self.cookies)])).expect(200, marker)

    async def comment(self, post, text):
        """Adds a comment to the post with this number of the database, and follows to the page with it."""
        form = urllib.parse.urlencode({"comment": text, "comment_post_ID": post, "comment_parent": 0})
        answer = await self.client.fetch("/wp-comments-post.php", method="POST", body=form.encode(),
                                         headers=[FORM, ("Cookie", self.cookies)])
        answer.expect(302)
        await self.show(answer.header("location"), text)

    async def publish(self, title, text):
        """Publishes a post, and shows it."""
        answer = await self.client.fetch(
            "/wp-json/wp/v2/posts", method="POST",
            body=json.dumps({"title": title, "content": f"<p>{text}</p>", "status": "publish"}).encode(),
            headers=[("Content-Type", "application/json"), ("Cookie", self.cookies), ("X-WP-Nonce", self.nonce)])
        await self.show(json.loads(answer.expect(201, title).body)["link"], text)


class Visitors:
    """Makes operations, the same ones for the same seed."""

    def __init__(self, posts):
        self.client, self.posts = Client("127.0.0.1", 80), posts
        self.editors = [Editor(self.client, number) for number in range(EDITORS)]
        self.numbers = {}

    def close(self):
        self.client.close()

    def month(self, post):
        return time.strftime("/%Y/%m/", time.gmtime(LAST - DAY * (self.posts - 1 - post)))

    async def begin(self):
        """Logs the editors in, and looks up the numbers of the posts that get comments."""
        for editor in self.editors:
            await editor.begin()
        for post in range(min(self.posts, 24)):
            answer = await self.client.fetch(f"/wp-json/wp/v2/posts?slug=post-{post}")
            self.numbers[post] = json.loads(answer.expect(200).body)[0]["id"]

    async def front(self):
        (await self.client.fetch("/")).expect(200, "<title>Sartor study</title>", "wp-block-post-title", "</html>")

    async def post(self, post):
        (await self.client.fetch(f"{self.month(post)}post-{post}/")).expect(
            200, f"The mark of post {post}.", f"Comment 2 of post {post}.", "</html>")

    async def archive(self, post):
        path = self.month(post) if post % 2 else f"/category/category-{post % 8}/"
        (await self.client.fetch(path)).expect(200, "wp-block-post-title", "wp-block-query-title", "</html>")

    async def search(self, word):
        (await self.client.fetch(f"/?s={word}")).expect(200, "Search results for", word, "</html>")

    def pages(self):
        """Returns paths whose pages must be the same with both loaders."""
        last = self.posts - 1
        return ["/", f"{self.month(0)}post-0/", f"{self.month(last)}post-{last}/", self.month(0), "/category/category-1/",
                "/?s=amber", "/feed/", "/wp-json/wp/v2/posts?per_page=5", "/wp-includes/css/dashicons.min.css"]

    def operations(self, count, seed):
        """Returns pairs of a kind and a function: each twenty have the mix, in another order."""
        draw, made = random.Random(seed), []
        while len(made) < count:
            kinds = [kind for kind, times in MIX.items() for _ in range(times)]
            draw.shuffle(kinds)
            made += [(kind, self.operation(kind, draw, f"{seed}-{len(made) + place}")) for place, kind in enumerate(kinds)]
        return made[:count]

    def operation(self, kind, draw, label):
        post, editor = draw.randrange(self.posts), draw.choice(self.editors)
        commented = draw.randrange(min(self.posts, 24))
        return {"front": self.front,
                "post": lambda: self.post(post),
                "archive": lambda: self.archive(post),
                "search": lambda: self.search(WORDS[post % len(WORDS)]),
                "login": editor.log_in,
                "comment": lambda: editor.comment(self.numbers[commented], f"The comment {label} is new."),
                "publish": lambda: editor.publish(f"News {label}", f"The text {label} is new.")}[kind]
