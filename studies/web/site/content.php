<?php
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// content.php POSTS: installs WordPress, with editors, and so many posts with comments; always the same.
$posts = (int)$argv[1];
$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'SERVER_NAME' => '127.0.0.1', 'REQUEST_METHOD' => 'GET',
    'REQUEST_URI' => '/', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REMOTE_ADDR' => '127.0.0.1'];
define('WP_INSTALLING', true);
require '/mnt/site/wp-load.php';
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
require_once ABSPATH . 'wp-admin/includes/taxonomy.php';

const EDITORS = 8;
const CATEGORIES = 8;
const WORDS = ['amber', 'basalt', 'cedar', 'delta', 'ember', 'fjord', 'granite', 'harbour', 'island', 'juniper',
    'kelp', 'lagoon', 'meadow', 'nectar', 'orchard', 'pebble', 'quartz', 'river', 'saffron', 'tundra',
    'umber', 'valley', 'willow', 'yarrow', 'zephyr'];

function next_of(int $below): int {
    static $state = 1;
    $state = ($state * 1103515245 + 12345) & 0x7fffffff;
    return ($state >> 8) % $below;
}

function some_text(int $words): string {
    $text = [];
    for ($i = 0; $i < $words; ++$i)
        $text[] = WORDS[next_of(count(WORDS))];
    return ucfirst(implode(' ', $text)) . '.';
}

function must(mixed $result): int {
    if (is_wp_error($result) || !$result) {
        echo 'content.php: ' . (is_wp_error($result) ? $result->get_error_message() : 'nothing was inserted') . "\n";
        exit(1); // exit() with a text would end with status 0
    }
    return (int)$result;
}

wp_install('Sartor study', 'admin', 'admin@example.org', false, '', 'admin-password');
update_option('siteurl', 'http://127.0.0.1');
update_option('home', 'http://127.0.0.1');
switch_theme('twentytwentythree');
// Of the example content, nothing is left.
foreach (get_posts(['numberposts' => -1, 'post_type' => ['post', 'page'], 'post_status' => 'any']) as $post)
    wp_delete_post($post->ID, true);
global $wp_rewrite;
$wp_rewrite->set_permalink_structure('/%year%/%monthnum%/%postname%/');
flush_rewrite_rules();

wp_defer_term_counting(true);
wp_defer_comment_counting(true);
$editors = $categories = [];
for ($i = 0; $i < EDITORS; ++$i)
    $editors[] = must(wp_insert_user(['user_login' => "editor$i", 'user_pass' => "password$i",
        'user_email' => "editor$i@example.org", 'role' => 'editor', 'user_registered' => '2019-01-01 00:00:00']));
for ($i = 0; $i < CATEGORIES; ++$i)
    $categories[] = must(wp_insert_category(['cat_name' => "Category $i", 'category_nicename' => "category-$i"]));
// The newest post is of the end of 2023; there is one a day.
for ($i = 0; $i < $posts; ++$i) {
    $seconds = 1704020400 - 86400 * ($posts - 1 - $i);
    $paragraphs = [];
    for ($j = 0; $j < 6; ++$j)
        $paragraphs[] = "<!-- wp:paragraph --><p>" . some_text(60) . "</p><!-- /wp:paragraph -->";
    $post = must(wp_insert_post(['post_title' => "Post $i " . WORDS[$i % count(WORDS)], 'post_name' => "post-$i",
        'post_content' => implode("\n", $paragraphs) . "\n<!-- wp:paragraph --><p>The mark of post $i.</p><!-- /wp:paragraph -->",
        'post_status' => 'publish', 'post_author' => $editors[$i % EDITORS],
        'post_category' => [$categories[$i % CATEGORIES]], 'post_date' => gmdate('Y-m-d H:i:s', $seconds),
        'post_date_gmt' => gmdate('Y-m-d H:i:s', $seconds)]));
    for ($j = 0; $j < 3; ++$j)
        must(wp_insert_comment(['comment_post_ID' => $post, 'comment_content' => "Comment $j of post $i. " . some_text(20),
            'comment_author' => "Reader $j", 'comment_author_email' => "reader$j@example.org", 'comment_approved' => 1,
            'comment_date' => gmdate('Y-m-d H:i:s', $seconds + 600 * $j),
            'comment_date_gmt' => gmdate('Y-m-d H:i:s', $seconds + 600 * $j)]));
}
wp_defer_term_counting(false);
wp_defer_comment_counting(false);
echo "content: $posts posts\n";
